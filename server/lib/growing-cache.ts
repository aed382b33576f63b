import { LRUCache } from 'lru-cache'

/**
 * Keeps so many entries; the one unused for longest goes first. Takes memory as it fills: by `max` the library would set
 * all of it aside at once, 24 ms for 300,000 entries.
 */
export const growingCache = <Value extends {}>(
  maxEntries: number,
  options: Pick<LRUCache.Options<string, Value, unknown>, 'ttl' | 'ttlResolution' | 'perf'> = {},
): LRUCache<string, Value> => new LRUCache({ ...options, maxSize: maxEntries, sizeCalculation: () => 1 })
