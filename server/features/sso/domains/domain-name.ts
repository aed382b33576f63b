import { domainToASCII } from 'node:url'

const hostName = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:xn--[a-z0-9-]{1,59}|[a-z]{2,63})$/

/** A domain as domains are kept and compared: in lower case, in ASCII, without the dot of the root. Null for what is none. */
export function domainName(written: string): string | null {
  const domain = domainToASCII(written.trim().toLowerCase().replace(/\.$/, ''))
  return hostName.test(domain) ? domain : null
}

/** The domain in what somebody copied: an address of a page, one with a port, one for everything below. */
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
