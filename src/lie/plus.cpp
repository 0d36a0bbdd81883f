#include <daedalus/space.hpp>

namespace daedalus {

template void Space::plus(const Dual4*, const Dual4*, Dual4*) const;
template void Space::plus(const Taylor2*, const Taylor2*, Taylor2*) const;
template void Space::plus(const Taylor2Dual*, const Taylor2Dual*, Taylor2Dual*) const;

}  // namespace daedalus
