import Bowser from 'bowser'

/** The browser and system that a user agent names, such as `Firefox on Windows`; null when it names none. */
export function describeUserAgent(userAgent: string): string | null {
  if (!userAgent) return null
  const { browser, os } = Bowser.parse(userAgent)
  if (!browser.name) return null
  return os.name ? `${browser.name} on ${os.name}` : browser.name
}
