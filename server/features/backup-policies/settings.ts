import { z } from 'zod'
import {
  type BackupLinkSettings,
  type BackupSelection,
  backupLinkSettings,
  type ProfileLinkSettings,
  profileLinkSettings,
} from '../../../shared/backup-plan.ts'
import { validationError } from '../../platform/errors.ts'

/**
 * The settings of a link that says itself what is protected.
 * @throws AppError `validation_failed`, naming the fields below `inlineSettings`
 */
export const ownSettings = (sent: unknown): BackupLinkSettings => parsed(backupLinkSettings, sent)

/** The same of a link with a profile, which may leave them out. */
export const settingsBesideProfile = (sent: unknown): ProfileLinkSettings => parsed(profileLinkSettings, sent ?? {})

function parsed<Settings>(schema: z.ZodType<Settings>, sent: unknown): Settings {
  const { success, data, error } = z.object({ inlineSettings: schema }).safeParse({ inlineSettings: sent ?? undefined })
  if (!success) throw validationError(error)
  return data.inlineSettings
}

/** What a link without a profile protects. */
export function selectionOf(settings: BackupLinkSettings): BackupSelection {
  switch (settings.backupMode) {
    case 'file':
      return { mode: 'file', targets: settings.targets }
    case 'system_image':
      return { mode: 'system_image', targets: settings.targets }
    case 'database':
      return { mode: 'database', targets: settings.targets }
    case 'vmhost':
      return { mode: 'vmhost', targets: settings.targets }
  }
}
