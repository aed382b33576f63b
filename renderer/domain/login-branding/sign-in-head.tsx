import { Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Brand } from '../../ui/brand.tsx'
import classes from './sign-in-head.module.css'

interface Props {
  logoUrl: string | null
  headline: string | null
  /** The URL leads to no image, or to one that the page may not load. */
  onLogoFailed?: (() => void) | undefined
}

/** The partner's logo above the sign-in, or that of Homeport if there is none or it does not load. */
export function SignInHead({ logoUrl, headline, onLogoFailed }: Props) {
  const [failed, setFailed] = useState<string | null>(null)
  const fail = () => {
    setFailed(logoUrl)
    onLogoFailed?.()
  }
  return (
    <Stack gap="sm" align="center">
      {logoUrl && logoUrl !== failed ? (
        <img src={logoUrl} alt="Logo of your company" className={classes.logo} onError={fail} />
      ) : (
        <Brand size={32} />
      )}
      {headline && (
        <Text ta="center" className={classes.headline}>
          {headline}
        </Text>
      )}
    </Stack>
  )
}
