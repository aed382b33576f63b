import { Center, Paper, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { Brand } from '../shell/brand.tsx'
import classes from './entry-frame.module.css'

/** The quiet page around sign-in and set-up. */
export function EntryFrame({ width = 400, children }: { width?: number; children: ReactNode }) {
  return (
    <Center component="main" tabIndex={-1} className={classes.page}>
      <Stack gap="lg" w="100%" maw={width}>
        <Center>
          <Brand size={32} />
        </Center>
        <Paper className={classes.card}>{children}</Paper>
      </Stack>
    </Center>
  )
}
