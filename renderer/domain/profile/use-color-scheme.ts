import { type MantineColorScheme, useMantineColorScheme } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Me } from '../../../shared/api/profile.ts'
import { changeProfile } from '../../data/profile.ts'
import { notifyFailed } from '../../lib/notify.ts'
import { preferencesOf } from '../../lib/session.ts'

const themes = { auto: 'system', light: 'light', dark: 'dark' } as const
const schemes = { system: 'auto', light: 'light', dark: 'dark' } as const

/** The colours of this browser, and how to change them here and for the account. */
export function useColorScheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const save = useMutation(changeProfile)
  const change = (scheme: MantineColorScheme) => {
    setColorScheme(scheme)
    save.mutate({ preferences: { theme: themes[scheme] } }, { onError: notifyFailed('The colours were not saved') })
  }
  return { scheme: colorScheme, change }
}

/** Brings the colours that the account asks for to this browser. */
export function useColorSchemeOf(me: Me) {
  const { setColorScheme } = useMantineColorScheme()
  const { theme } = preferencesOf(me)
  useEffect(() => {
    if (theme) setColorScheme(schemes[theme])
  }, [theme, setColorScheme])
}
