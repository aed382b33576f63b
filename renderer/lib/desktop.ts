import { bridgeName } from '../../shared/bridge.ts'

/** Whether the console is shown by the desktop shell: a window that shows no pages but those of the appliance. */
export const isInDesktopWindow = (): boolean => bridgeName in globalThis
