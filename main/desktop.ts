import type { SsoTrust } from '../shared/api/sso-trust.ts'
import type { DesktopState } from '../shared/bridge.ts'
import type { Ready } from '../shared/process.ts'
import type { AutoLaunch } from './auto-launch.ts'
import type { Pinned } from './certificate.ts'
import type { ServerState, Supervisor } from './server-process.ts'
import type { SettingsFile } from './settings.ts'

/** What the shell is at this moment and what can be done with it. Window, tray, menu and bridge all work on this. */
export interface Desktop {
  server: () => ServerState
  view: () => DesktopState
  /** What the server reported last when it was ready. Kept over a restart, as the console stays open and reconnects. */
  lastReady: () => Ready | undefined
  /** The server's loopback origin: the only one the window shows. */
  origin: () => string | undefined
  pinned: () => Pinned | undefined
  /** Where the system's browser finds the console, and identity providers send it back to. */
  browserOrigin: () => string | undefined
  onChange: (listener: () => void) => void
  setExposeOnLan: (isExposed: boolean) => void
  setStartAtLogin: (isEnabled: boolean) => void
  restartServer: () => void
  examineTrust: (draft?: string) => Promise<SsoTrust>
  stop: () => Promise<void>
}

export interface DesktopParts {
  settings: SettingsFile
  autoLaunch: AutoLaunch
  supervise: (onState: (state: ServerState) => void) => Supervisor
}

export function createDesktop({ settings, autoLaunch, supervise }: DesktopParts): Desktop {
  const listeners: (() => void)[] = []
  let server: ServerState = { phase: 'starting', failures: 0 }
  let lastReady: Ready | undefined
  const changed = () => {
    for (const listener of listeners) listener()
  }
  const supervisor = supervise((state) => {
    server = state
    if (state.phase === 'ready') lastReady = state.ready
    changed()
  })
  return {
    server: () => server,
    view: () => ({
      server: server.phase,
      addresses: server.phase === 'ready' ? server.ready.addresses : [],
      lastError: 'lastError' in server ? server.lastError : undefined,
      isExposedOnLan: settings.get().exposeOnLan,
      startsAtLogin: autoLaunch.isEnabled(),
    }),
    lastReady: () => lastReady,
    origin: () => lastReady && new URL(lastReady.loopbackOrigin).origin,
    pinned: () => lastReady && pinnedBy(lastReady),
    browserOrigin: () => lastReady && new URL(lastReady.browserOrigin).origin,
    onChange: (listener) => void listeners.push(listener),
    setExposeOnLan: (isExposed) => {
      if (isExposed === settings.get().exposeOnLan) return
      settings.change({ exposeOnLan: isExposed })
      supervisor.restart()
      changed()
    },
    setStartAtLogin: (isEnabled) => {
      autoLaunch.set(isEnabled)
      changed()
    },
    restartServer: supervisor.restart,
    examineTrust: supervisor.examineTrust,
    stop: supervisor.stop,
  }
}

function pinnedBy({ loopbackOrigin, trustAnchors }: Ready): Pinned | undefined {
  return trustAnchors === null ? undefined : { hostname: new URL(loopbackOrigin).hostname, trustAnchors }
}
