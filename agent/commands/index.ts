import { join } from 'node:path'
import type { Inventory } from '../inventory.ts'
import type { PowerSwitch } from '../power.ts'
import { backupKey, backupMaintain, backupPreview, backupRestore, backupRun, backupStop, vaultSync } from './backup.ts'
import { backupTestRestore, backupVerify } from './backup-verification.ts'
import type { Command } from './command.ts'
import { reboot, shutdown } from './power.ts'
import { refreshInventory } from './refresh-inventory.ts'
import { script } from './script.ts'
import { scriptCancel } from './script-cancel.ts'
import { selfUninstall } from './self-uninstall.ts'

/** Everything the server can ask of this device, by wire name. */
export function allCommands(using: {
  stateDir: string
  inventory: Inventory
  power: PowerSwitch
  backup: Omit<Parameters<typeof backupRun>[0], 'stateDir'>
  remove(options: { removeConfig: boolean }): Promise<void>
}): Map<string, Command> {
  const commands = [
    refreshInventory(using.inventory),
    reboot(using.power),
    shutdown(using.power),
    backupRun({ ...using.backup, stateDir: using.stateDir }),
    backupRestore({ ...using.backup, stateDir: using.stateDir }),
    backupMaintain({ ...using.backup, stateDir: using.stateDir }),
    backupKey({ ...using.backup, stateDir: using.stateDir }),
    vaultSync({ ...using.backup, stateDir: using.stateDir }),
    backupVerify({ ...using.backup, stateDir: using.stateDir }),
    backupTestRestore({ ...using.backup, stateDir: using.stateDir }),
    backupPreview(using.backup),
    backupStop,
    script(join(using.stateDir, 'scripts')),
    scriptCancel,
    selfUninstall(using.remove),
  ]
  return new Map(commands.map((one) => [one.name, one]))
}
