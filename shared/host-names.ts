/** Whether a host of an address leads to the machine it is opened on, and to no other. */
export const isLoopback = (host: string): boolean =>
  /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])$/.test(host.toLowerCase())

/** A name without a domain, such as `box`: known where a network says so, and nowhere else. */
export const isBareName = (host: string): boolean => /^[^.:[\]]+$/.test(host) && !isLoopback(host)
