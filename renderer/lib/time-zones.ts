export const browserTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'

/** Time zones of the browser, and UTC, which its list leaves out. */
export const timeZones = (): string[] => [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), browserTimeZone()])]
