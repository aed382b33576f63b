import { bridgeName, type DesktopBridge } from '../../shared/bridge.ts'

/** The bridge to the desktop shell; undefined in a browser. */
export const desktop = (globalThis as { [bridgeName]?: DesktopBridge })[bridgeName]

export const isInDesktopWindow = (): boolean => desktop !== undefined
