import { useMantineTheme } from '@mantine/core'
import type { CSSProperties } from 'react'
import type { LoginBranding } from '../../../shared/api/login-branding.ts'
import { accentButton } from '../../domain/login-branding/accent-theme.tsx'
import { SignInHead } from '../../domain/login-branding/sign-in-head.tsx'
import { cssVariables } from '../../ui/theme.ts'
import classes from './sign-in-preview.module.css'

interface Props {
  scheme: 'light' | 'dark'
  branding: LoginBranding
  onLogoFailed: () => void
}

/** A small preview of the sign-in page, in the colours of the real one. */
export function SignInPreview({ scheme, branding: { logoUrl, accentColor, headline }, onLogoFailed }: Props) {
  const surfaces = cssVariables(useMantineTheme())[scheme]
  return (
    <figure className={classes.figure}>
      <div
        className={classes.page}
        role="img"
        aria-label={`The sign-in page, ${scheme}`}
        style={{ ...surfaces, ...(accentColor && accentButton(accentColor)) } as CSSProperties}
      >
        <SignInHead logoUrl={logoUrl} headline={headline} onLogoFailed={onLogoFailed} />
        <div className={classes.card}>
          <div className={classes.title}>Sign in</div>
          <div className={classes.field}>Email</div>
          <div className={classes.field}>Password</div>
          <div className={classes.button}>Sign in</div>
        </div>
      </div>
      <figcaption className={classes.caption}>{scheme === 'light' ? 'Light' : 'Dark'}</figcaption>
    </figure>
  )
}
