export const browserTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'

/** Every zone the browser knows, with UTC, which browsers leave out of their list. */
export const timeZones = (): string[] => [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), browserTimeZone()])]
