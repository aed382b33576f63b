/** The path to go to after sign-in, when it is one of ours: never another origin, whatever the link says. */
export function safeNext(next: string | undefined): string | undefined {
  if (!next?.startsWith('/')) return undefined
  const base = 'http://console.invalid'
  if (!URL.canParse(next, base)) return undefined
  const url = new URL(next, base)
  // "/.//evil.test" resolves to a path of ours that, followed as it is, names another host.
  if (url.origin !== base || /^\/(\/|login)/.test(url.pathname)) return undefined
  return url.pathname + url.search + url.hash
}
