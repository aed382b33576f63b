import type { BrowserWindow, BrowserWindowConstructorOptions, Rectangle, WebContents } from 'electron'
import type { Ready } from '../shared/process.ts'
import { failedPage, startingPage } from './pages.ts'
import type { ServerState } from './server-process.ts'
import type { Bounds, SettingsFile } from './settings.ts'

/** The one window. It shows the console, or a page of the shell's own while there is none to show. */

export type Page = 'starting' | 'failed' | 'console'

const patience = 3
const minSize = { width: 800, height: 560 }
const defaultSize = { width: 1280, height: 840 }

/** Which page belongs in the window now. A console on show outlives a restart or two: it reconnects by itself. */
export function pageFor(server: ServerState, shown: Page | undefined): Page | undefined {
  if (server.phase === 'ready') return 'console'
  if (server.phase === 'stopped') return shown
  if (server.failures >= patience) return 'failed'
  return shown === 'console' ? 'console' : 'starting'
}

/** Where the console begins: at the setup wizard on the first run, which the setup link leads into. */
export function consoleUrl({ loopbackOrigin, setupLink }: Ready): string {
  if (setupLink === undefined) return loopbackOrigin
  const { pathname, search, hash } = new URL(setupLink)
  return new URL(`${pathname}${search}${hash}`, loopbackOrigin).href
}

/** The remembered place, if enough of it is still on a screen to grab the window by. */
export function fittingBounds(bounds: Bounds | undefined, workAreas: readonly Rectangle[]): Partial<Bounds> {
  if (!bounds) return defaultSize
  const isReachable = workAreas.some(
    (area) =>
      bounds.x + bounds.width > area.x + 100 &&
      bounds.x < area.x + area.width - 100 &&
      bounds.y >= area.y - 10 &&
      bounds.y < area.y + area.height - 50,
  )
  return isReachable ? bounds : defaultSize
}

export const windowOptions = (
  place: Partial<Bounds>,
  preload: string,
  icon: string,
): BrowserWindowConstructorOptions => ({
  ...place,
  minWidth: minSize.width,
  minHeight: minSize.height,
  title: 'Homeport',
  icon,
  show: false,
  autoHideMenuBar: true,
  webPreferences: {
    preload,
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    webSecurity: true,
    webviewTag: false,
    // Chromium would fetch its dictionaries from the internet.
    spellcheck: false,
  },
})

export interface ConsoleWindow {
  contents: WebContents
  show: () => void
  /** Puts the page into the window that belongs there now. */
  update: () => void
}

export interface ConsoleWindowParts {
  window: BrowserWindow
  settings: SettingsFile
  server: () => ServerState
  lastReady: () => Ready | undefined
  isQuitting: () => boolean
}

export function consoleWindow({ window, settings, server, lastReady, isQuitting }: ConsoleWindowParts): ConsoleWindow {
  let shown: { page: Page; url: string } | undefined

  function load(page: Page, url: string): void {
    shown = { page, url }
    // Rejections repeat what did-fail-load says.
    window.loadURL(url).catch(() => {})
  }

  function update(): void {
    const state = server()
    const page = pageFor(state, shown?.page)
    if (page === 'starting' && shown?.page !== 'starting') load('starting', startingPage())
    if (page === 'failed' && 'lastError' in state) showProblem(state.lastError)
    const ready = lastReady()
    if (page === 'console' && ready && !(shown?.page === 'console' && isSameOrigin(shown.url, ready.loopbackOrigin)))
      load('console', consoleUrl(ready))
  }

  function showProblem(problem: string | undefined): void {
    const url = failedPage(problem ?? 'The server does not say what is wrong.')
    if (shown?.url !== url) load('failed', url)
  }

  window.webContents.on('did-fail-load', (_event, code, description, _url, isMainFrame) => {
    const wasAborted = code === -3
    if (isMainFrame && !wasAborted && shown?.page === 'console') showProblem(`The console did not load: ${description}`)
  })
  window.webContents.on('render-process-gone', () => {
    shown = undefined
    if (!isQuitting()) update()
  })
  window.on('close', (event) => {
    settings.change({ window: { bounds: window.getNormalBounds(), isMaximized: window.isMaximized() } })
    if (isQuitting()) return
    // The server lives on; the tray brings the window back.
    event.preventDefault()
    window.hide()
  })
  if (settings.get().window?.isMaximized) window.maximize()
  update()

  return {
    contents: window.webContents,
    update,
    show: () => {
      if (window.isMinimized()) window.restore()
      window.show()
      window.focus()
    },
  }
}

const isSameOrigin = (url: string, other: string) => new URL(url).origin === new URL(other).origin
