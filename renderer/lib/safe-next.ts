/** The path to go to after sign-in, when it is one of ours: never another origin, whatever the link says. */
export function safeNext(next: string | undefined): string | undefined {
  if (!next?.startsWith('/')) return undefined
  const base = 'http://console.invalid'
  if (!URL.canParse(next, base)) return undefined
  const url = new URL(next, base)
  if (url.origin !== base || url.pathname.startsWith('/login')) return undefined
  return url.pathname + url.search + url.hash
}
