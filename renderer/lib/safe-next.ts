/** The path to open after the sign-in, if it is one of the console's and not of another origin. */
export function safeNext(next: string | undefined): string | undefined {
  if (!next?.startsWith('/')) return undefined
  const base = 'http://console.invalid'
  if (!URL.canParse(next, base)) return undefined
  const url = new URL(next, base)
  // "/.//evil.test" resolves to a path here that names another host when followed.
  if (url.origin !== base || /^\/(\/|login)/.test(url.pathname)) return undefined
  return url.pathname + url.search + url.hash
}
