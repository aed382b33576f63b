const fillers =
  /^(|-|n\/?a|none|null|unknown|undefined|default string|not specified|to be filled by o\.?e\.?m\.?|system (manufacturer|product name|version|serial number)|0+)$/i

/** What a firmware or tool says, without the phrases vendors leave where a fact should be; null when nothing is left. */
export function fact(value: string | null | undefined, maxLength = 255): string | null {
  const text = value?.trim() ?? ''
  return fillers.test(text) ? null : text.slice(0, maxLength)
}

export const gigabytes = (bytes: number): number => Math.round((bytes / 1024 ** 3) * 100) / 100
export const megabytes = (bytes: number): number => Math.round(bytes / 1024 ** 2)
export const percent = (part: number, whole: number): number => (whole > 0 ? Math.round((part / whole) * 1000) / 10 : 0)
