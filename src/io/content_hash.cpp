// SPDX-License-Identifier: BSD-3-Clause
#include "io/content_hash.hpp"

#include <fmt/format.h>

#include <new>

#define XXH_INLINE_ALL  // headers alone: no library to load
#include <xxhash.h>

namespace daedalus::files {

struct ContentHash::State {
  XXH3_state_t* xxh = XXH3_createState();
  ~State() { XXH3_freeState(xxh); }
};

ContentHash::ContentHash() : state_(std::make_unique<State>()) {
  if (!state_->xxh) throw std::bad_alloc();
  XXH3_128bits_reset(state_->xxh);
}
ContentHash::~ContentHash() = default;

void ContentHash::add(const void* data, std::size_t size) {
  if (size > 0) XXH3_128bits_update(state_->xxh, data, size);
}

std::string ContentHash::hex() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->xxh);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string ContentHash::of(std::string_view bytes) {
  ContentHash hash;
  hash.add(bytes.data(), bytes.size());
  return hash.hex();
}

}  // namespace daedalus::files
