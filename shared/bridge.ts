/**
 * The whole bridge between the console in the desktop window and the shell around it. The console finds it as
 * `window.homeport`, which does not exist in an ordinary browser.
 */

export interface DesktopState {
  server: 'starting' | 'ready' | 'restarting' | 'stopped'
  /** Where LAN browsers and devices reach the appliance; empty while it is not exposed. */
  addresses: string[]
  /** How the server ended last, while it is not running again. */
  lastError?: string
  isExposedOnLan: boolean
  startsAtLogin: boolean
}

export interface DesktopBridge {
  getState: () => Promise<DesktopState>
  /** Restarts the server on the new address: the page loses its connection for a moment. */
  setExposeOnLan: (isExposed: boolean) => Promise<void>
  setStartAtLogin: (isEnabled: boolean) => Promise<void>
  openLogs: () => Promise<void>
  openDataFolder: () => Promise<void>
  restartServer: () => Promise<void>
  /** Calls `listener` on every change; returns the function that ends it. */
  onState: (listener: (state: DesktopState) => void) => () => void
}

export const bridgeName = 'homeport'

export const channels = {
  getState: 'desktop:get-state',
  setExposeOnLan: 'desktop:set-expose-on-lan',
  setStartAtLogin: 'desktop:set-start-at-login',
  openLogs: 'desktop:open-logs',
  openDataFolder: 'desktop:open-data-folder',
  restartServer: 'desktop:restart-server',
  state: 'desktop:state',
} as const
