import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { loginBrandingQuery } from '../../data/login-branding.ts'
import { publicConfigQuery } from '../../lib/session.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { BrandingForm } from './branding-form.tsx'

/** Branding of the sign-in page. */
export function BrandingTab({ isEditable }: { isEditable: boolean }) {
  const branding = useQuery(loginBrandingQuery)
  return (
    <>
      <WhileAlone />
      <Loaded of={branding}>{(saved) => <BrandingForm branding={saved} isEditable={isEditable} />}</Loaded>
    </>
  )
}

function WhileAlone() {
  const isOpen = useQuery(publicConfigQuery).data?.registration.enabled
  return (
    <Text size="sm" c="dimmed" mb="md" maw={760}>
      The sign-in page shows this as long as yours is the only company on this appliance. Once there’s a second one,
      everyone sees the plain page with Homeport’s logo.
      {isOpen && ' Anyone can register a company now; platform administrators can stop that under Appliance.'}
    </Text>
  )
}
