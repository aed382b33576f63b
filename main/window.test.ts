import { expect, test } from 'vitest'
import type { Ready } from '../shared/process.ts'
import { failedPage, startingPage } from './pages.ts'
import type { ServerState } from './server-process.ts'
import { consoleUrl, fittingBounds, pageFor, windowOptions } from './window.ts'

const ready: Ready = {
  type: 'ready',
  loopbackOrigin: 'https://localhost:8443',
  addresses: [],
  trustAnchors: null,
  browserOrigin: 'https://box.local:8443',
}
const restarting = (failures: number): ServerState => ({ phase: 'restarting', failures, lastError: 'x' })

test('the window shows the starting page until the server is ready, and then the console', () => {
  expect(pageFor({ phase: 'starting', failures: 0 }, undefined)).toBe('starting')
  expect(pageFor({ phase: 'ready', ready }, 'starting')).toBe('console')
  expect(pageFor({ phase: 'ready', ready }, 'failed')).toBe('console')
  expect(pageFor({ phase: 'stopped' }, 'console')).toBe('console')
})

test('the console stays visible for two failures, then the failure is shown until the server is back', () => {
  expect([1, 2, 3].map((failures) => pageFor(restarting(failures), 'console'))).toEqual([
    'console',
    'console',
    'failed',
  ])
  expect(pageFor({ phase: 'starting', failures: 3 }, 'failed')).toBe('failed')
  expect(pageFor(restarting(1), 'starting')).toBe('starting')
})

test('the first run opens the console at the setup link, on the loopback origin', () => {
  expect(consoleUrl(ready)).toBe('https://localhost:8443')
  expect(consoleUrl({ ...ready, setupLink: 'https://box.local:8443/setup?x=1#code=AB-CD' })).toBe(
    'https://localhost:8443/setup?x=1#code=AB-CD',
  )
})

test('a window position is restored only where a screen can show it', () => {
  const screens = [
    { x: 0, y: 0, width: 1920, height: 1080 },
    { x: 1920, y: 0, width: 1280, height: 1024 },
  ]
  const at = (x: number, y: number) => ({ x, y, width: 1000, height: 700 })
  expect(fittingBounds(at(50, 50), screens)).toEqual(at(50, 50))
  expect(fittingBounds(at(2000, 100), screens)).toEqual(at(2000, 100))
  for (const lost of [at(4000, 100), at(-950, 50), at(50, -300), at(50, 1070)])
    expect(fittingBounds(lost, screens)).toEqual({ width: 1280, height: 840 })
  expect(fittingBounds(undefined, screens)).toEqual({ width: 1280, height: 840 })
})

test('pages run in a sandbox without Node', () => {
  expect(windowOptions({}, '/preload.cjs', '/icon.png').webPreferences).toMatchObject({
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    webSecurity: true,
    webviewTag: false,
  })
})

test('an error is shown as text, never as markup', () => {
  const html = decodeURIComponent(failedPage(`<img src=x onerror="alert('1')"> & more`))
  expect(html).toContain('&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt; &amp; more')
  expect(html).toContain("default-src 'none'")
  expect(decodeURIComponent(startingPage())).not.toContain('<script')
})
