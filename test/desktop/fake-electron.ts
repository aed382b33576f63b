import { type ChildProcess, fork } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { join } from 'node:path'
import type { MenuItemConstructorOptions, UtilityProcess } from 'electron'
import type { Manner } from './fork-server.ts'

/**
 * The few objects of Electron the shell touches, without Electron: enough to run `main/index.ts` in plain Node and see
 * what it does in which order. The server behind `utilityProcess` is a real child process.
 */

const preventable = () => {
  const event = {
    isPrevented: false,
    preventDefault: () => {
      event.isPrevented = true
    },
  }
  return event
}

class FakeApp extends EventEmitter {
  isPackaged = true
  hasQuit = false
  paths = new Map<string, string>()
  enableSandbox = () => {}
  getPath = (name: string) => this.paths.get(name) ?? '/nowhere'
  setPath = (name: string, path: string) => this.paths.set(name, path)
  getAppPath = () => join(import.meta.dirname, '../..')
  requestSingleInstanceLock = () => true
  whenReady = async () => {}
  getLoginItemSettings = () => ({ openAtLogin: false, wasOpenedAtLogin: false })
  exit = () => {}
  quit = () => {
    const event = preventable()
    this.emit('before-quit', event)
    this.hasQuit = !event.isPrevented
  }
}
export const app = new FakeApp()

class FakeContents extends EventEmitter {
  mainFrame = { origin: 'null', parent: null }
  sent: unknown[][] = []
  getURL = () => ''
  setWindowOpenHandler = () => {}
  send = (...args: unknown[]) => this.sent.push(args)
}

export class BrowserWindow extends EventEmitter {
  static all: BrowserWindow[] = []
  webContents = new FakeContents()
  visited: string[] = []
  isVisible = false
  options: { webPreferences: { preload: string } }
  constructor(options: BrowserWindow['options']) {
    super()
    this.options = options
    BrowserWindow.all.push(this)
    app.emit('web-contents-created', {}, this.webContents)
  }
  loadURL = async (url: string) => {
    this.visited.push(url)
    this.webContents.mainFrame.origin = new URL(url).origin
  }
  show = () => {
    this.isVisible = true
  }
  hide = () => {
    this.isVisible = false
  }
  focus = () => {}
  maximize = () => {}
  isMinimized = () => false
  isMaximized = () => false
  getNormalBounds = () => ({ x: 1, y: 2, width: 1000, height: 700 })
  /** Closes it as a person does; answers whether it went away. */
  close = () => {
    const event = preventable()
    this.emit('close', event)
    return !event.isPrevented
  }
}

export class Tray extends EventEmitter {
  static menu: MenuItemConstructorOptions[] = []
  setToolTip = () => {}
  setContextMenu = (menu: MenuItemConstructorOptions[]) => {
    Tray.menu = menu
  }
}
export const Menu = { buildFromTemplate: (items: MenuItemConstructorOptions[]) => items, setApplicationMenu: () => {} }

export const handlers = new Map<string, (event: unknown, ...args: unknown[]) => unknown>()
export const ipcMain = { handle: (channel: string, handler: () => unknown) => handlers.set(channel, handler) }

export const servers: { child: ChildProcess; entry: string; env: NodeJS.ProcessEnv }[] = []
/** Starts a fake server of the given manner, whatever entry it is told to start. */
export const forkUtility =
  (manner: Manner): typeof Electron.utilityProcess.fork =>
  (entry, _args, options) => {
    const env = options?.env as NodeJS.ProcessEnv
    const child = fork(join(import.meta.dirname, 'fake-server.ts'), [manner], { env, silent: true, execArgv: [] })
    servers.push({ child, entry, env })
    return Object.assign(child, { postMessage: child.send }) as unknown as UtilityProcess
  }
export const utilityProcess = { fork: forkUtility('well') }

const ignoreCalls = new Proxy({}, { get: () => () => {} })
export const session = { defaultSession: ignoreCalls }
export const safeStorage = { isAsyncEncryptionAvailable: async () => false }
export const screen = { getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }] }
export const nativeImage = { createFromPath: (path: string) => path }
export const opened: string[] = []
export const shell = {
  openPath: async (path: string) => {
    opened.push(path)
    return ''
  },
  openExternal: async (url: string) => {
    opened.push(url)
  },
}
export const problems: string[] = []
/** What the person at the machine does in the system's dialogs. */
export const person = { chooses: [] as string[], consents: false }
export const dialog = {
  showErrorBox: (title: string, text: string) => problems.push(`${title}: ${text}`),
  showOpenDialog: async () => ({ canceled: person.chooses.length === 0, filePaths: person.chooses }),
  showMessageBox: async ({ buttons }: { buttons: string[] }) => ({
    response: person.consents ? 0 : buttons.length - 1,
  }),
}
export const clipboard = { writeText: () => {} }
