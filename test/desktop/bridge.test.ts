import { EventEmitter } from 'node:events'
import { createContext, runInContext } from 'node:vm'
import type { IpcMainInvokeEvent, WebContents, WebFrameMain } from 'electron'
import { build } from 'esbuild'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { Actions } from '../../main/actions.ts'
import { createDesktop, type Desktop } from '../../main/desktop.ts'
import { answerConsole, tellConsole } from '../../main/ipc.ts'
import type { ServerState } from '../../main/server-process.ts'
import { openSettings } from '../../main/settings.ts'
import type { TrustFileEditor } from '../../main/trust-file.ts'
import type { SsoTrust } from '../../shared/api/sso-trust.ts'
import { bridgeName, channels, type DesktopBridge, type DesktopState } from '../../shared/bridge.ts'
import type { SsoTrustDocument } from '../../shared/sso-trust-document.ts'

/** Both ends of the bridge as they are shipped, joined by a stand-in for Electron's wire. */

const origin = 'https://localhost:8443'
const trust: SsoTrust = { source: 'none', file: null, error: null, certificateAuthorities: [], hosts: [] }
const frame = (from: string, parent: unknown = null) => ({ origin: from, parent }) as WebFrameMain

type Handler = (event: IpcMainInvokeEvent, ...args: unknown[]) => unknown

let preload: string
let bridge: DesktopBridge
let desktop: Desktop
let setServer: (state: ServerState) => void
let sender: WebFrameMain | null
let log: unknown[][]
let page: EventEmitter
let invoke: (channel: string, ...args: unknown[]) => Promise<unknown>

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: ['main/preload.ts'],
    bundle: true,
    write: false,
    format: 'cjs',
    external: ['electron'],
  })
  preload = outputFiles[0]?.text ?? ''
})

beforeEach(() => {
  log = []
  sender = frame(origin)
  page = new EventEmitter()
  desktop = createDesktop({
    settings: openSettings('/nowhere/settings.json'),
    autoLaunch: { isEnabled: () => true, set: () => {} },
    supervise: (onState) => {
      setServer = onState
      return { restart: () => {}, stop: async () => {}, examineTrust: async () => trust }
    },
  })
  setServer({
    phase: 'ready',
    ready: {
      type: 'ready',
      loopbackOrigin: `${origin}/`,
      addresses: ['https://box.local:8443'],
      trustAnchors: null,
      browserOrigin: 'https://box.local:8443',
    },
  })

  const handlers = new Map<string, Handler>()
  const actions = new Proxy({} as Actions, {
    get:
      (_target, name) =>
      (...args: unknown[]) =>
        void log.push([name, ...args]),
  })
  const trustFile: TrustFileEditor = {
    read: async () => ({ trust, document: null, version: 'x' }),
    importAuthority: async () => null,
    save: async (...args) => {
      log.push(['save', ...args])
      return { outcome: 'saved' }
    },
  }
  const ipcMain = { handle: (channel: string, handler: Handler) => void handlers.set(channel, handler) }
  answerConsole(ipcMain, { desktop, actions, trustFile })
  invoke = async (channel, ...args) => handlers.get(channel)?.({ senderFrame: sender } as IpcMainInvokeEvent, ...args)

  const ipcRenderer = Object.assign(page, { invoke })
  const contextBridge = {
    exposeInMainWorld: (name: string, value: DesktopBridge) => {
      bridge = value
      log.push([name])
    },
  }
  runInContext(preload, createContext({ require: () => ({ ipcRenderer, contextBridge }), module: {} }))
  expect(log.splice(0)).toEqual([[bridgeName]])
})

test('the console reads the state of the shell', async () => {
  expect(await bridge.getState()).toEqual({
    server: 'ready',
    addresses: ['https://box.local:8443'],
    lastError: undefined,
    isExposedOnLan: true,
    startsAtLogin: true,
  } satisfies DesktopState)
})

test('every call reaches its action', async () => {
  await bridge.setExposeOnLan(false)
  await bridge.setStartAtLogin(true)
  await bridge.openLogs()
  await bridge.openDataFolder()
  await bridge.restartServer()
  expect(log).toEqual([
    ['setExposeOnLan', false],
    ['setStartAtLogin', true],
    ['openLogs'],
    ['openDataFolder'],
    ['restartServer'],
  ])
})

test('the trusted hosts of single sign-on are read and saved', async () => {
  const document: SsoTrustDocument = {
    version: 1,
    certificateAuthorities: [],
    hosts: [{ host: 'idp.corp.lan', port: 443, alsoPublicRoots: false }],
  }
  expect(await bridge.readTrust()).toEqual({ trust, document: null, version: 'x' })
  expect(await bridge.importAuthority()).toBeNull()
  expect(await bridge.saveTrust(document, 'x')).toEqual({ outcome: 'saved' })
  expect(log).toEqual([['save', document, 'x']])
})

test.each([
  ['another origin', frame('https://evil.example')],
  ['another port', frame('https://localhost:9443')],
  ['a page of the shell’s own', frame('null')],
  ['a frame inside the console', frame(origin, frame(origin))],
  ['a frame that is gone', null],
])('a call from %s is refused on every channel', async (_name, from) => {
  sender = from
  for (const channel of Object.values(channels).filter((name) => name !== channels.state))
    await expect(invoke(channel), channel).rejects.toThrow('Refused')
  expect(log).toEqual([])
})

test('a call with invalid input is refused and changes nothing', async () => {
  for (const input of [[], ['yes'], [null], [true, true], [{ isExposed: true }]]) {
    await expect(invoke(channels.setExposeOnLan, ...input)).rejects.toThrow()
    await expect(invoke(channels.setStartAtLogin, ...input)).rejects.toThrow()
  }
  await expect(invoke(channels.openLogs, '/etc/passwd')).rejects.toThrow()
  await expect(invoke(channels.importAuthority, '/etc/passwd')).rejects.toThrow()
  for (const document of [null, { version: 2 }, { version: 1, host: [] }, { version: 1, hosts: [{ host: 7 }] }])
    await expect(invoke(channels.saveTrust, document, 'x')).rejects.toThrow()
  await expect(invoke(channels.saveTrust, { version: 1 })).rejects.toThrow()
  expect(log).toEqual([])
})

test('the console gets state changes until it unsubscribes, and other pages never do', () => {
  const heard: DesktopState[] = []
  const contents = (mainFrame: WebFrameMain) =>
    ({
      mainFrame,
      send: (channel: string, state: unknown) => page.emit(channel, { sender: 'not for the page' }, state),
    }) as unknown as WebContents
  const stop = bridge.onState((...args) => heard.push(...args))
  tellConsole(contents(frame(origin)), desktop)
  tellConsole(contents(frame('null')), desktop)
  expect(heard).toEqual([desktop.view()])
  stop()
  tellConsole(contents(frame(origin)), desktop)
  expect(heard).toHaveLength(1)
})

test('the console still reads the state while the server restarts', async () => {
  setServer({ phase: 'restarting', failures: 1, lastError: 'The server ended with code 3.' })
  expect(await bridge.getState()).toMatchObject({
    server: 'restarting',
    addresses: [],
    lastError: 'The server ended with code 3.',
  })
})
