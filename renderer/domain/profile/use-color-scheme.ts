import { type MantineColorScheme, useMantineColorScheme } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Me } from '../../../shared/api/profile.ts'
import { changeProfile } from '../../data/profile.ts'
import { notifyFailed } from '../../lib/notify.ts'
import { preferencesOf } from '../../lib/session.ts'

const themes = { auto: 'system', light: 'light', dark: 'dark' } as const
const schemes = { system: 'auto', light: 'light', dark: 'dark' } as const

/** The colour scheme of this browser, and how to change it here and in the profile. */
export function useColorScheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const save = useMutation(changeProfile)
  const change = (scheme: MantineColorScheme) => {
    setColorScheme(scheme)
    save.mutate({ preferences: { theme: themes[scheme] } }, { onError: notifyFailed('The color scheme wasn’t saved') })
  }
  return { scheme: colorScheme, change }
}

/** Applies the colour scheme of the profile to this browser. */
export function useColorSchemeOf(me: Me) {
  const { setColorScheme } = useMantineColorScheme()
  const { theme } = preferencesOf(me)
  useEffect(() => {
    if (theme) setColorScheme(schemes[theme])
  }, [theme, setColorScheme])
}
