import { EventEmitter } from 'node:events'
import type { Session, WebContents } from 'electron'
import { expect, test } from 'vitest'
import { hardenContents, hardenSession, judgeNavigation, mayOpenOutside, mayUse, type Rules } from './security.ts'

const origin = 'https://localhost:8443'
const consolePage = { url: `${origin}/devices`, isMainFrame: true }
const ownPage = { url: 'data:text/html;charset=utf-8,x', isMainFrame: true }

test.each([
  [`${origin}/devices?page=2`, 'allow'],
  ['https://localhost:8444/', 'open-outside'],
  ['http://localhost:8443/', 'open-outside'],
  ['https://localhost.evil.example:8443/', 'open-outside'],
  ['https://localhost:8443@evil.example/', 'refuse'],
  ['https://docs.example/', 'open-outside'],
  ['file:///etc/passwd', 'refuse'],
  ['javascript:alert(1)', 'refuse'],
  ['data:text/html,<h1>Sign in</h1>', 'refuse'],
  ['ms-msdt:/id', 'refuse'],
  ['mailto:a@b.example', 'refuse'],
  ['about:blank', 'refuse'],
  ['nonsense', 'refuse'],
])('the console going to %s: %s', (url, kind) => {
  expect(judgeNavigation(url, consolePage, origin)).toEqual({ kind })
})

test('before the server is ready no address counts as the console', () => {
  expect(judgeNavigation(`${origin}/`, ownPage, undefined).kind).toBe('open-outside')
})

test('a frame inside the console may only show the console', () => {
  const frame = { ...consolePage, isMainFrame: false }
  expect(judgeNavigation('https://docs.example/', frame, origin).kind).toBe('refuse')
  expect(judgeNavigation(`${origin}/api/docs`, frame, origin).kind).toBe('allow')
})

test('a sign-in at an identity provider is recognized in the main frame and refused in others', () => {
  const url = `${origin}/api/v1/sso/login/0b1c5a0e-7d6f-4c1c-9d4e-2f1f3f0e9a11?redirect=%2Fdevices`
  expect(judgeNavigation(url, consolePage, origin)).toEqual({ kind: 'sign-in' })
  expect(judgeNavigation(url, { ...consolePage, isMainFrame: false }, origin)).toEqual({ kind: 'refuse' })
})

test('local links work in the main frame of the shell’s own pages only', () => {
  const url = 'https://desktop.invalid/open-logs'
  expect(judgeNavigation(url, ownPage, origin)).toEqual({ kind: 'local-link', action: 'open-logs' })
  expect(judgeNavigation(url, consolePage, origin).kind).toBe('refuse')
  expect(judgeNavigation(url, { ...ownPage, isMainFrame: false }, origin).kind).toBe('refuse')
})

test('only plain web addresses go to the system’s browser', () => {
  expect(['https://a.example', 'http://a.example/x'].map(mayOpenOutside)).toEqual([true, true])
  expect(['ftp://a.example', 'https://user:pw@a.example', 'file:///x', 'x', ''].some(mayOpenOutside)).toBe(false)
})

test('the console may write the clipboard and notify, and nothing else, and other pages may do neither', () => {
  expect(mayUse('clipboard-sanitized-write', `${origin}/`, origin)).toBe(true)
  expect(mayUse('notifications', origin, origin)).toBe(true)
  const others = [
    'clipboard-read',
    'media',
    'geolocation',
    'hid',
    'usb',
    'serial',
    'fileSystem',
    'openExternal',
    'unknown',
  ]
  expect(others.some((permission) => mayUse(permission, origin, origin))).toBe(false)
  expect(mayUse('notifications', 'https://evil.example/', origin)).toBe(false)
  expect(mayUse('notifications', origin, undefined)).toBe(false)
  expect(mayUse('notifications', '', origin)).toBe(false)
})

function rulesSpy() {
  const log: string[] = []
  const rules: Rules = {
    origin: () => origin,
    pinned: () => undefined,
    browserOrigin: () => 'https://box.local:8443',
    openOutside: (url) => log.push(`outside ${url}`),
    onLocalLink: (action) => log.push(`link ${action}`),
  }
  return { log, rules }
}

test('the rules are in force on every page', () => {
  const { log, rules } = rulesSpy()
  let openWindow: ((details: { url: string }) => { action: string }) | undefined
  const contents = Object.assign(new EventEmitter(), {
    getURL: () => ownPage.url,
    setWindowOpenHandler: (handler: typeof openWindow) => {
      openWindow = handler
    },
  })
  hardenContents(contents as unknown as WebContents, rules)
  const isPrevented = (name: string, event: object) => {
    let prevented = false
    contents.emit(name, {
      ...event,
      preventDefault: () => {
        prevented = true
      },
    })
    return prevented
  }

  expect(isPrevented('will-frame-navigate', { url: `${origin}/x`, isMainFrame: true })).toBe(false)
  expect(isPrevented('will-frame-navigate', { url: 'https://docs.example/', isMainFrame: true })).toBe(true)
  expect(isPrevented('will-frame-navigate', { url: 'https://desktop.invalid/open-logs', isMainFrame: true })).toBe(true)
  const signIn = '/api/v1/sso/login/partner/1?redirect=%2Fdevices'
  expect(isPrevented('will-frame-navigate', { url: `${origin}${signIn}`, isMainFrame: true })).toBe(true)
  expect(isPrevented('will-redirect', { url: 'https://docs.example/' })).toBe(true)
  expect(isPrevented('will-redirect', { url: `${origin}/sign-in` })).toBe(false)
  expect(isPrevented('will-attach-webview', {})).toBe(true)
  expect(openWindow?.({ url: 'https://docs.example/new' })).toEqual({ action: 'deny' })
  expect(openWindow?.({ url: `${origin}/settings/profile?tab=security` })).toEqual({ action: 'deny' })
  expect(openWindow?.({ url: 'file:///etc/passwd' })).toEqual({ action: 'deny' })
  expect(log).toEqual([
    'outside https://docs.example/',
    'link open-logs',
    `outside https://box.local:8443${signIn}`,
    'outside https://docs.example/new',
    'outside https://box.local:8443/settings/profile?tab=security',
  ])
})

test('the rules are in force on the session', () => {
  const handlers = new Map<string, (...args: never[]) => unknown>()
  const session = new Proxy({} as Session, {
    get: (_target, name) => (handler: () => unknown) => handlers.set(String(name), handler),
  })
  hardenSession(session, rulesSpy().rules)
  const call = (name: string, ...args: unknown[]) => handlers.get(name)?.(...(args as never[]))

  const answers: unknown[] = []
  const answer = (value: unknown) => answers.push(value)
  call('setPermissionRequestHandler', null, 'notifications', answer, { requestingUrl: `${origin}/devices` })
  call('setPermissionRequestHandler', null, 'media', answer, { requestingUrl: `${origin}/devices` })
  call('setCertificateVerifyProc', { hostname: 'localhost', certificate: { data: '' } }, answer)
  expect(answers).toEqual([true, false, -3])
  expect(call('setPermissionCheckHandler', null, 'notifications', `${origin}/`)).toBe(true)
  expect(call('setPermissionCheckHandler', null, 'usb', `${origin}/`)).toBe(false)
  expect(call('setDevicePermissionHandler')).toBe(false)
})
