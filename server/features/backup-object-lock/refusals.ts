/** Why a storage does not keep a snapshot by itself yet. The words are for people; until then the appliance keeps it. */
export class NotLocked extends Error {
  override name = 'NotLocked'
  /** How long until it is tried again. */
  readonly pauseMs: number
  /** The storage said that it had locked something, and has not. */
  readonly isBroken: boolean

  constructor(reason: string, pauseMs: number, isBroken = false) {
    super(reason)
    this.pauseMs = pauseMs
    this.isBroken = isBroken
  }
}
