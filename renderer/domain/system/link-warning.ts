import { isBareName, isLoopback } from '../../../shared/host-names.ts'

/**
 * A link to hand over, with the address at which the browser is where that of the appliance leads nowhere else: what
 * one browser can open, others can, too.
 */
export function linkToHandOver(link: string, here: Pick<Location, 'hostname' | 'origin'> = location): string {
  const url = new URL(link)
  return isLoopback(url.hostname) && !isLoopback(here.hostname) ? link.replace(url.origin, here.origin) : link
}

/** Why a link may not work on the machine of its reader; null if nothing speaks against it. */
export function linkWarning(link: string, currentHost = location.hostname): string | null {
  const host = new URL(link).hostname
  if (isLoopback(host)) return `Links that start with “${host}” work only on the appliance itself.`
  if (isBareName(host) && host !== currentHost) return `Other devices may not know the name “${host}”.`
  return null
}
