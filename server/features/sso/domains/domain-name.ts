import { domainToASCII } from 'node:url'

const hostName = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:xn--[a-z0-9-]{1,59}|[a-z]{2,63})$/

/** A domain in the stored form: lower case, ASCII (IDNA), without the dot of the root. Null for text that is no domain. */
export function domainName(written: string): string | null {
  const domain = domainToASCII(written.trim().toLowerCase().replace(/\.$/, ''))
  return hostName.test(domain) ? domain : null
}

/** The domain in a text that a user pasted: also a URL, a name with a port, or one with a leading `*.`. */
export const domainWithin = (copied: string): string | null =>
  domainName(
    copied
      .trim()
      .toLowerCase()
      .replace(/^[a-z][a-z0-9+.-]*:\/\//, '')
      .replace(/[/?#].*$/s, '')
      .replace(/:\d*$/, '')
      .replace(/^[*.]+/, '')
      .replace(/\.+$/, ''),
  )
