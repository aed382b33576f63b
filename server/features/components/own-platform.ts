import { platformOf } from '../../../shared/components.ts'

const systems: Partial<Record<NodeJS.Platform, string>> = { win32: 'windows', darwin: 'macos' }
const architectures: Record<string, string> = { x64: 'amd64', ia32: '386' }

/** Of the appliance itself, in the words of agents. */
export const ownPlatform = platformOf(systems[process.platform] ?? 'linux', architectures[process.arch] ?? process.arch)
