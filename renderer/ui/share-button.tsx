import { Button } from '@mantine/core'
import { IconShare2 } from '@tabler/icons-react'

/** Hands a link to another app of the phone; absent in browsers that cannot. */
export function ShareButton({ link, onShared }: { link: string; onShared: () => void }) {
  if (!('share' in navigator)) return null
  const share = async () => {
    // Refused where the person closes the choice of apps.
    const isShared = await navigator.share({ url: link }).then(
      () => true,
      () => false,
    )
    if (isShared) onShared()
  }
  return (
    <Button variant="default" leftSection={<IconShare2 size={16} />} onClick={share}>
      Share…
    </Button>
  )
}
