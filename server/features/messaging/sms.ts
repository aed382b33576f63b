/** Sends text messages through whatever provider is set up. */
export interface Sms {
  isConfigured(): boolean
  /** Rejects with `sms_unavailable` when no provider is set up and with `sms_failed` when it refuses or is silent. */
  send(to: string, text: string): Promise<void>
}
