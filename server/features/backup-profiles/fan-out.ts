import type { z } from 'zod'
import { type BackupMode, type BackupSelection, backupModes, profileSelection } from '../../../shared/backup-plan.ts'
import { isObject } from '../../../shared/objects.ts'

/**
 * What a profile protects: one selection for each job, in the order of `backupModes`. Selections that are switched off or
 * not valid are left out; none at all means that the profile is broken.
 */
export function selectionsOf(stored: unknown): BackupSelection[] {
  const selections = isObject(stored) ? stored : {}
  return backupModes.flatMap((mode) => selectionOf(mode, selections[mode]) ?? [])
}

function selectionOf(mode: BackupMode, stored: unknown): BackupSelection | null {
  switch (mode) {
    case 'file': {
      const targets = enabledTargets(profileSelection.file, stored)
      return targets && { mode, targets }
    }
    case 'system_image': {
      const targets = enabledTargets(profileSelection.system_image, stored)
      return targets && { mode, targets }
    }
    case 'database': {
      const targets = enabledTargets(profileSelection.database, stored)
      return targets && { mode, targets }
    }
    case 'vmhost': {
      const targets = enabledTargets(profileSelection.vmhost, stored)
      return targets && { mode, targets }
    }
  }
}

function enabledTargets<Selection extends { enabled: boolean }>(
  schema: z.ZodType<Selection>,
  stored: unknown,
): Omit<Selection, 'enabled'> | null {
  const parsed = schema.safeParse(stored)
  if (!parsed.success || !parsed.data.enabled) return null
  const { enabled: _, ...targets } = parsed.data
  return targets
}
