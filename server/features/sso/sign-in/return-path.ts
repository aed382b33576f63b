const nowhere = 'https://console.invalid'
const maxLength = 500

/** Where the console goes after a sign-in: a path of its own, whatever a link asked for. */
export function returnPath(wanted: unknown): string {
  if (typeof wanted !== 'string') return '/'
  const text = wanted.trim()
  if (!isPath(text) || /[\\\p{Cc}]/u.test(text) || !URL.canParse(text, nowhere)) return '/'
  const { origin, pathname, search } = new URL(text, nowhere)
  const path = pathname + search
  // To resolve a path can make an address of another host of it: "/.//evil.example". And "/%61pi" is
  // "/api" to the router, where an endpoint that redirects takes the one-time code along to wherever it leads.
  const isOwn = origin === nowhere && isPath(path) && !/^\/api(\/|$)|%[0-7]/i.test(pathname)
  return isOwn && path.length <= maxLength ? path : '/'
}

const isPath = (text: string): boolean => text.startsWith('/') && !text.startsWith('//')
