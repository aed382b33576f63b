export const isWebAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

/** People write example.com; where no protocol is named, the safe one is meant. What is no address stays as it is. */
export function webAddressFrom(typed: string): string {
  const text = typed.trim()
  const completed = `https://${text}`
  return /^[^\s:/@]+\.[^\s@]+$/.test(text) && isWebAddress(completed) ? completed : text
}
