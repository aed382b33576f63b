import type { SsoTrust } from './api/sso-trust.ts'
import type { ListedAuthority, SsoTrustDocument } from './sso-trust-document.ts'

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

/** `sso-trust.json` of this machine. */
export interface TrustFile {
  /** What it comes to; its `error` is what keeps it from being loaded. */
  trust: SsoTrust
  /** As it is written, to be changed; null when the shell can not change it. */
  document: SsoTrustDocument | null
  /** Of what was read, to be given back with a change. */
  version: string
}

/** A copy of a certificate a person chose, for the document to name. */
export interface ImportedAuthority {
  authority: ListedAuthority
  subject: string
  sha256: string
  expiresAt: string
}

export type TrustChange = { outcome: 'saved' | 'dismissed' } | { outcome: 'refused'; problem: string }

export interface DesktopBridge {
  getState: () => Promise<DesktopState>
  /** Restarts the server on the new address: the page loses its connection for a moment. */
  setExposeOnLan: (isExposed: boolean) => Promise<void>
  setStartAtLogin: (isEnabled: boolean) => Promise<void>
  openLogs: () => Promise<void>
  openDataFolder: () => Promise<void>
  restartServer: () => Promise<void>
  readTrust: () => Promise<TrustFile>
  /** Shows the system's own dialog for files; null when it was dismissed. */
  importAuthority: () => Promise<ImportedAuthority | { problem: string } | null>
  /** Asks the person once more, outside of the page, and restarts the server. */
  saveTrust: (document: SsoTrustDocument, version: string) => Promise<TrustChange>
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
  readTrust: 'desktop:read-trust',
  importAuthority: 'desktop:import-authority',
  saveTrust: 'desktop:save-trust',
  state: 'desktop:state',
} as const
