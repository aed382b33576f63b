import { isBareName, isLoopback } from '../../../shared/host-names.ts'

/** Why a link may not work on the machine of its reader; null if nothing speaks against it. */
export function linkWarning(link: string, currentHost = location.hostname): string | null {
  const host = new URL(link).hostname
  if (isLoopback(host)) return `Links that start with “${host}” work only on the appliance itself.`
  if (isBareName(host) && host !== currentHost) return `Other devices may not know the name “${host}”.`
  return null
}
