import { newPopup, type PopupDraft } from './popup-form.ts'

/** Fields of a template: words and look. The name, the address of the button, the picture and the delay stay the person's own. */
type TemplatePart = Omit<
  PopupDraft,
  'name' | 'cta_url' | 'image_url' | 'trigger_delay' | 'trigger_delay_enabled'
>

interface PopupTemplate {
  readonly id: string
  readonly name: string
  readonly part: TemplatePart
}

const {
  name: _name,
  cta_url: _url,
  image_url: _image,
  trigger_delay: _delay,
  trigger_delay_enabled: _enabled,
  ...plain
} = newPopup

/** Finished popups to start from, each for one purpose and with a distinct look. Texts and buttons pass WCAG AA. */
export const popupTemplates: readonly PopupTemplate[] = [
  {
    id: 'newsletter',
    name: 'Newsletter',
    part: {
      ...plain,
      title: 'One good letter a month',
      description: 'New work, dates and a few things worth reading. Leave whenever you like.',
      cta_text: 'Send it to me',
      collect_email: true,
      background_color: '#fff8ee',
      text_color: '#2b1d12',
      button_color: '#a8430a',
      font_style: 'elegant',
      shadow_style: 'soft',
      border_radius: 20,
    },
  },
  {
    id: 'sale',
    name: 'Sale',
    part: {
      ...plain,
      title: '20% off everything',
      description: 'This week only. The price drops at checkout, no code needed.',
      cta_text: 'Shop the sale',
      background_color: '#14110f',
      text_color: '#fff7ec',
      button_color: '#ffb224',
      button_text_color: '#1c1206',
      shadow_style: 'bold',
      border_radius: 12,
    },
  },
  {
    id: 'event',
    name: 'Event',
    part: {
      ...plain,
      title: 'Come to our open evening',
      description: 'Friday at 7 pm, doors from 6:30. It’s free, and seats are few.',
      cta_text: 'Save my seat',
      background_color: '#eaf3ff',
      text_color: '#0d2440',
      button_color: '#1257a6',
      font_style: 'professional',
      border_radius: 16,
    },
  },
  {
    id: 'lead-magnet',
    name: 'Free guide',
    part: {
      ...plain,
      title: 'Get the free guide',
      description: 'Twelve pages, no fluff: what we wish we had known when we started.',
      cta_text: 'Email me the guide',
      collect_email: true,
      background_color: '#eef6ee',
      text_color: '#142a1a',
      button_color: '#23663a',
      border_radius: 14,
    },
  },
  {
    id: 'survey',
    name: 'Survey',
    part: {
      ...plain,
      title: 'Two questions?',
      description: 'It takes a minute, and helps us decide what to make next.',
      cta_text: 'Answer them',
      background_color: '#ffffff',
      text_color: '#221b3a',
      button_color: '#5b3fc4',
      font_style: 'casual',
      position: 'bottom',
      size_preset: 'small',
      border_radius: 24,
    },
  },
  {
    id: 'announcement',
    name: 'News',
    part: {
      ...plain,
      title: 'Something new is here',
      description: 'We have been working on this for a year. Be among the first to see it.',
      cta_text: 'Take a look',
      background_color: '#1d2b4f',
      text_color: '#f2f5ff',
      button_color: '#ffffff',
      button_text_color: '#1d2b4f',
      position: 'top',
      size_preset: 'full-width',
      border_radius: 10,
    },
  },
]
