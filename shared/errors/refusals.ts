/** A refusal as its feature declares it; the key is its code. */
export interface Refusal {
  status: number
  /** The text that clients of the public API know. */
  error: string
  /** The wire `code`, where two refusals share one. */
  code?: string
  /**
   * What people read in the console; `{name}` stands for a number or text of the reply. `null` where `error` reads well
   * there, or where only devices and scripts are refused.
   */
  onScreen: string | null
  /** The field of a form that the refusal is about, where it can be about no other. */
  field?: string
}

export type Refusals = Readonly<Record<string, Refusal>>

/** Console and server have different versions, or a proxy interferes. */
export const versionMismatch = 'Homeport didn’t understand this page’s request. Reload the page.'
