export const isWebAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

/** Adds `https://` to a bare host name; anything that is no URL stays as it is. */
export function webAddressFrom(typed: string): string {
  const text = typed.trim()
  const completed = `https://${text}`
  return /^[^\s:/@]+\.[^\s@]+$/.test(text) && isWebAddress(completed) ? completed : text
}
