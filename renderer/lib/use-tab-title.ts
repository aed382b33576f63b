import { useDebouncedValue, useDocumentTitle } from '@mantine/hooks'
import { useIsOffline } from './connectivity.ts'

/** Shorter interruptions do not change the title; milliseconds. */
const delayMs = 2500

/** The title of the browser tab, which also says when the appliance cannot be reached. */
export function useTabTitle(title: string): void {
  const isOffline = useIsOffline()
  const [wasOffline] = useDebouncedValue(isOffline, delayMs)
  useDocumentTitle([isOffline && wasOffline ? 'Not connected' : '', title, 'Homeport'].filter(Boolean).join(' · '))
}
