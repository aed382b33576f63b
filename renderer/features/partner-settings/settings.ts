import type { z } from 'zod'
import { type Partner, partnerSettings, securitySettings } from '../../../shared/api/partners.ts'

type Settings = typeof partnerSettings.shape

/** One setting; undefined if there is none, or if its value is unknown here. */
export const settingOf = <Key extends keyof Settings>({ settings }: Pick<Partner, 'settings'>, key: Key) =>
  partnerSettings.shape[key].safeParse(settings[key]).data as z.output<Settings[Key]> | undefined

export const securityOf = ({ settings }: Partner) => securitySettings.catch({}).parse(settings.security ?? {})
