import type { HostNames } from './names.ts'

/** The time, ms since epoch. Tests move it. */
export interface TlsClock {
  now(): number
}

export interface TlsLog {
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
}

interface CommonOptions {
  clock: TlsClock
  log: TlsLog
}

/** The appliance's own authority and a certificate it keeps fresh by itself. */
export interface AutoTlsOptions extends CommonOptions {
  mode: 'auto'
  /** Where both are kept; made for the owner only. */
  dir: string
  /** The current names of the machine, asked at every tick. */
  names: () => HostNames
}

/** A PEM certificate (with its issuers) and key that are renewed outside of the appliance. */
export interface FilesTlsOptions extends CommonOptions {
  mode: 'files'
  certFile: string
  keyFile: string
}

export type TlsOptions = AutoTlsOptions | FilesTlsOptions

/** What `https.createServer` and `server.setSecureContext` take, PEM. */
export interface SecureContext {
  key: string
  /** The server certificate, then its issuers. */
  cert: string
}

/** The appliance's TLS identity, kept fresh while the server runs. */
export interface Tls {
  secureContext(): SecureContext
  /** Calls `listener` with every later context; pass it to `server.setSecureContext`. */
  onChange(listener: (context: SecureContext) => void): void
  /** Does whatever time, names or files ask for; cheap when that is nothing. Rejects when a result cannot be saved. */
  tick(): Promise<void>
  /**
   * The authorities a device must trust now, PEM: the current one, the next while a rotation is staged, the one before
   * for a while after a switch. Null without an own authority, like the other facts about it.
   */
  caPem(): string | null
  /** SHA-256 of the current authority, 64 lower-case hex digits. */
  caFingerprint(): string | null
  /** The same for every authority in `caPem`, in its order. */
  trustedFingerprints(): string[]
  /** ISO instants. */
  expires(): { ca: string | null; certificate: string }
  rotation(): { nextFingerprint: string; switchAt: string } | null
  /** Stages the next authority; devices have until `switchAt` to learn it. */
  rotateCa(): Promise<void>
  /** Brings the switch forward to now. Devices that have not learned the next authority are locked out. */
  switchCa(): Promise<void>
}

export type TlsErrorCode =
  /** The stored authority is damaged or partly missing. */
  | 'authority_unusable'
  /** The given certificate or key cannot be used. */
  | 'files_unusable'
  /** Mode `files` has no authority of its own to rotate. */
  | 'no_authority'
  | 'rotation_staged'
  | 'no_rotation_staged'
  /** The clock is before the authority's begin, so no date derived from it would make sense. */
  | 'clock_behind'

export class TlsError extends Error {
  readonly code: TlsErrorCode

  constructor(code: TlsErrorCode, message: string) {
    super(message)
    this.name = 'TlsError'
    this.code = code
  }
}
