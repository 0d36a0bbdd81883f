#include <daedalus/method.hpp>

namespace daedalus {

const Method* find_method(std::string_view name) {
  for (const Method* m : all_methods())
    if (m->name == name) return m;
  return nullptr;
}

}  // namespace daedalus
