import { Center, Paper, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { defaultBranding, loginContextQuery } from '../../data/login-branding.ts'
import { AccentTheme } from './accent-theme.tsx'
import { SignInHead } from './sign-in-head.tsx'
import classes from './standalone-frame.module.css'

/** The page around sign-in and set-up, in the branding of the appliance's partner. */
export function StandaloneFrame({ width = 400, children }: { width?: number; children: ReactNode }) {
  const { data, isPending } = useQuery(loginContextQuery)
  const { logoUrl, accentColor, headline } = data?.branding ?? defaultBranding
  return (
    <AccentTheme accent={accentColor}>
      <Center component="main" tabIndex={-1} className={classes.page}>
        <Stack gap="lg" w="100%" maw={width}>
          {/* Hidden until the branding is loaded. */}
          <div className={classes.head} data-unknown={isPending || undefined}>
            <SignInHead logoUrl={logoUrl} headline={headline} />
          </div>
          <Paper className={classes.card}>{children}</Paper>
        </Stack>
      </Center>
    </AccentTheme>
  )
}
