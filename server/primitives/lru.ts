import { LRUCache } from 'lru-cache'

interface LruOptions<Value extends object | string | number | true> extends Pick<
  LRUCache.OptionsBase<string, Value, unknown>,
  'ttl' | 'perf'
> {
  /** In the unit of the limit. Default: 1 per entry. */
  sizeOf?: (value: Value, key: string) => number
}

/**
 * An LRU cache for many entries that takes memory as it fills. The library's own `max` allocates for all entries at once:
 * 22 ms of processor time and megabytes for each 100,000, at every start. An entry larger than the limit is not kept.
 */
export function createLru<Value extends object | string | number | true>(
  limit: number,
  { sizeOf = () => 1, ...timing }: LruOptions<Value> = {},
): LRUCache<string, Value> {
  return new LRUCache<string, Value>({ ...timing, maxSize: limit, sizeCalculation: sizeOf })
}
