import Bowser from 'bowser'

/** Browser and system of a user agent, such as `Firefox on Windows`; null if unknown. */
export function describeUserAgent(userAgent: string): string | null {
  if (!userAgent) return null
  const { browser, os } = Bowser.parse(userAgent)
  if (!browser.name) return null
  return os.name ? `${browser.name} on ${os.name}` : browser.name
}
