import { Text } from '@mantine/core'
import { agrees } from './agrees.tsx'

/** Asked of who has typed something that is not saved. */
export const agreesToLeave = (): Promise<boolean> =>
  agrees({
    title: 'Leave without saving?',
    words: <Text size="sm">What you typed on this page is not saved, and is lost when you leave.</Text>,
    confirm: 'Leave',
    cancel: 'Stay',
  })
