import type { Session, WebContents } from 'electron'
import { type Pinned, verifyCertificate } from './certificate.ts'

/** What pages in this shell may do: everything that is not listed here is refused. */

export interface Rules {
  /** The server's loopback origin, once it is ready. */
  origin: () => string | undefined
  pinned: () => Pinned | undefined
  /** Where the system's browser finds the console, and identity providers send it back to. */
  browserOrigin: () => string | undefined
  /** Hands an address to the system's browser. */
  openOutside: (url: string) => void
  /** A link on one of the shell's own pages was followed. */
  onLocalLink: (action: string) => void
}

const permissions = new Set(['clipboard-sanitized-write', 'notifications'])
/** Links of the shell's own pages lead here. The domain cannot exist (RFC 6761) and is never asked for. */
export const localLinkOrigin = 'https://desktop.invalid'

export const isInside = (url: string, origin: string | undefined): boolean =>
  origin !== undefined && URL.canParse(url) && new URL(url).origin === origin

/** Only plain web addresses leave the shell: no program, file or mail client can be started by a page. */
export function mayOpenOutside(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, username, password } = new URL(url)
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === ''
}

export const mayUse = (permission: string, requestingUrl: string, origin: string | undefined): boolean =>
  permissions.has(permission) && isInside(requestingUrl, origin)

/** Identity providers refuse embedded windows, and what they answer must reach the browser that asked. */
const beginsSignIn = (url: string) => new URL(url).pathname.startsWith('/api/v1/sso/login/')

export type Verdict = { kind: 'allow' | 'refuse' | 'open-outside' | 'sign-in' } | { kind: 'local-link'; action: string }

/** Judges a navigation that a page, not the shell, began. */
export function judgeNavigation(
  url: string,
  page: { url: string; isMainFrame: boolean },
  origin: string | undefined,
): Verdict {
  if (isInside(url, origin) && !beginsSignIn(url)) return { kind: 'allow' }
  if (!page.isMainFrame) return { kind: 'refuse' }
  if (isInside(url, origin)) return { kind: 'sign-in' }
  if (isInside(url, localLinkOrigin))
    return page.url.startsWith('data:text/html')
      ? { kind: 'local-link', action: new URL(url).pathname.slice(1) }
      : { kind: 'refuse' }
  return { kind: mayOpenOutside(url) ? 'open-outside' : 'refuse' }
}

export function hardenContents(contents: WebContents, rules: Rules): void {
  const openInBrowser = (url: string) => {
    const origin = rules.browserOrigin()
    const { pathname, search, hash } = new URL(url)
    if (origin) rules.openOutside(`${origin}${pathname}${search}${hash}`)
  }
  contents.on('will-frame-navigate', (event) => {
    const page = { url: contents.getURL(), isMainFrame: event.isMainFrame }
    const verdict = judgeNavigation(event.url, page, rules.origin())
    if (verdict.kind === 'allow') return
    event.preventDefault()
    if (verdict.kind === 'open-outside') rules.openOutside(event.url)
    if (verdict.kind === 'sign-in') openInBrowser(event.url)
    if (verdict.kind === 'local-link') rules.onLocalLink(verdict.action)
  })
  contents.on('will-redirect', (event) => {
    if (!isInside(event.url, rules.origin())) event.preventDefault()
  })
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(({ url }) => {
    if (isInside(url, rules.origin())) openInBrowser(url)
    else if (mayOpenOutside(url)) rules.openOutside(url)
    return { action: 'deny' }
  })
}

export function hardenSession(session: Session, rules: Rules): void {
  session.setPermissionRequestHandler((_contents, permission, answer, { requestingUrl }) =>
    answer(mayUse(permission, requestingUrl, rules.origin())),
  )
  session.setPermissionCheckHandler((_contents, permission, requestingOrigin) =>
    mayUse(permission, requestingOrigin, rules.origin()),
  )
  session.setDevicePermissionHandler(() => false)
  session.setCertificateVerifyProc(({ hostname, certificate }, answer) =>
    answer(verifyCertificate(hostname, certificate.data, rules.pinned(), new Date())),
  )
}
