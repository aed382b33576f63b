import { bridgeName, type DesktopBridge } from '../../shared/bridge.ts'

/** The desktop shell around this window; undefined in a browser. */
export const desktop = (globalThis as { [bridgeName]?: DesktopBridge })[bridgeName]

export const isInDesktopWindow = (): boolean => desktop !== undefined
