import { bridgeName, type DesktopBridge } from '../../shared/bridge.ts'

/** The desktop shell around this window; null in a browser. */
export const desktop: DesktopBridge | null =
  (window as { [bridgeName]?: DesktopBridge } & typeof window)[bridgeName] ?? null
