const placeholderOrigin = 'https://console.invalid'
const maxLength = 500

/** The path of the console to go to after a sign-in; `/` for anything but a path of the console. */
export function returnPath(input: unknown): string {
  if (typeof input !== 'string') return '/'
  const text = input.trim()
  if (!isPath(text) || /[\\\p{Cc}]/u.test(text) || !URL.canParse(text, placeholderOrigin)) return '/'
  const { origin, pathname, search } = new URL(text, placeholderOrigin)
  const path = pathname + search
  // Resolving can turn a path into an address of another host: "/.//evil.example". And "/%61pi" is "/api" to the router,
  // where an endpoint that redirects would pass the one-time code in the fragment on.
  const isOwn = origin === placeholderOrigin && isPath(path) && !/^\/api(\/|$)|%[0-7]/i.test(pathname)
  return isOwn && path.length <= maxLength ? path : '/'
}

const isPath = (text: string): boolean => text.startsWith('/') && !text.startsWith('//')
