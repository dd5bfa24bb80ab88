/** Cards and text formats as Ghost's editor writes them. */
export type Node = Record<string, unknown> & { type: string; children?: Node[] }

const text = (words: string, format = 0): Node => ({
  ...{ detail: 0, format, mode: 'normal', style: '', text: words, type: 'extended-text', version: 1 },
})

const block = (type: string, children: Node[], more: object = {}): Node => ({
  ...{ children, direction: 'ltr', format: '', indent: 0, type, version: 1, ...more },
})

export const paragraph = (words: string): Node => block('paragraph', words ? [text(words)] : [])

const item = (children: Node[], value: number): Node => block('listitem', children, { value })

/** Each with its content, for a site at `url`. */
export const CARDS: Record<string, (url: string) => Node[]> = {
  text: () => [
    block('extended-heading', [text('Heading two')], { tag: 'h2' }),
    block('extended-heading', [text('Heading four & more')], { tag: 'h4' }),
    block('extended-quote', [text('Quoted')]),
    block('aside', [text('Said aside')]),
    block(
      'paragraph',
      ['strong', 'em', 's', 'u', 'code', 'sub', 'sup', 'mark'].map((name, bit) => text(`${name} `, 2 ** bit)),
    ),
    block('paragraph', [text('both', 3), { type: 'linebreak', version: 1 }, text('next line')]),
    block(
      'list',
      [
        item([text('one')], 1),
        item([block('list', [item([text('inner')], 1)], bullets)], 2),
        item([text('two')], 2),
      ],
      bullets,
    ),
    block('list', [item([text('third')], 3), item([text('fourth')], 4)], {
      listType: 'number',
      start: 3,
      tag: 'ol',
    }),
  ],
  markdown: () => [
    {
      type: 'markdown',
      version: 1,
      markdown:
        '# Of Markdown\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n~~gone~~ and `code`[^1]\n\n[^1]: A note.',
    },
  ],
  html: () => [
    {
      type: 'html',
      version: 1,
      html: '<div class="own"><p onclick="alert(1)">Own <b>HTML</b></p><script>sesame()</script><form><input name="q"></form></div>',
    },
  ],
  image: (url) => [
    {
      ...{
        type: 'image',
        version: 1,
        src: `${url}/content/images/2024/05/boat.png`,
        width: 800,
        height: 600,
      },
      ...{
        title: 'A title',
        alt: 'A "boat" & oars',
        caption: '<span>By <a href="https://zoe.example">Zoë</a></span>',
      },
      ...{ cardWidth: 'wide', href: 'https://elsewhere.example/boat' },
    },
    { type: 'image', version: 1, src: 'https://pictures.example/plain.jpg', alt: '', caption: '' },
  ],
  gallery: (url) => [
    {
      ...{ type: 'gallery', version: 1, caption: 'Three of <em>them</em>' },
      images: [1, 2, 3].map((n) => ({
        ...{ row: 0, fileName: `g${n}.png`, src: `${url}/content/images/g${n}.png`, width: 400, height: 300 },
        ...{ alt: `Picture ${n}`, title: `Title ${n}` },
      })),
    },
  ],
  bookmark: (url) => [
    {
      ...{ type: 'bookmark', version: 1, url: 'https://elsewhere.example/read', caption: 'To read' },
      metadata: {
        ...{
          title: 'A page to read',
          description: 'It is about <boats> & oars',
          author: 'Zoë',
          publisher: 'Elsewhere',
        },
        ...{ icon: `${url}/content/images/icon.png`, thumbnail: 'https://elsewhere.example/thumb.png' },
      },
    },
  ],
  embed: () => [
    {
      ...{
        type: 'embed',
        version: 1,
        url: 'https://video.example/watch?v=1',
        embedType: 'video',
        metadata: {},
      },
      ...{
        html: '<iframe src="https://video.example/embed/1" width="200" height="113" title="A film"></iframe>',
        caption: 'A film',
      },
    },
    {
      ...{
        type: 'embed',
        version: 1,
        url: 'https://social.example/p/1',
        embedType: 'rich',
        metadata: {},
        caption: '',
      },
      html: '<blockquote>Said by <a href="https://social.example/p/1">somebody</a></blockquote><script async src="https://social.example/w.js"></script>',
    },
  ],
  callout: () => [
    {
      type: 'callout',
      version: 1,
      calloutEmoji: '⚓',
      calloutText: '<p>Mind the <strong>anchor</strong></p>',
      backgroundColor: 'green',
    },
    {
      type: 'callout',
      version: 1,
      calloutEmoji: '',
      calloutText: '<p>Without a sign</p>',
      backgroundColor: 'blue',
    },
  ],
  toggle: () => [
    {
      type: 'toggle',
      version: 1,
      heading: 'What is <em>inside</em>?',
      content: '<p>A <a href="https://elsewhere.example/in">link</a></p>',
    },
  ],
  button: () => [
    {
      type: 'button',
      version: 1,
      buttonText: 'Go & see',
      alignment: 'center',
      buttonUrl: 'https://elsewhere.example/go',
    },
  ],
  video: (url) => [
    {
      ...{
        type: 'video',
        version: 1,
        src: `${url}/content/media/film.mp4`,
        fileName: 'film.mp4',
        mimeType: 'video/mp4',
      },
      ...{
        width: 640,
        height: 360,
        duration: 12.5,
        thumbnailSrc: `${url}/content/media/film_thumb.jpg`,
        loop: true,
      },
      ...{
        thumbnailWidth: 640,
        thumbnailHeight: 360,
        caption: 'A film of <em>ours</em>',
        cardWidth: 'regular',
      },
    },
  ],
  audio: (url) => [
    {
      ...{
        type: 'audio',
        version: 1,
        src: `${url}/content/media/song.mp3`,
        title: 'A song & a dance',
        duration: 65,
      },
      ...{ mimeType: 'audio/mpeg', thumbnailSrc: `${url}/content/media/song_thumb.png` },
    },
  ],
  file: (url) => [
    {
      ...{
        type: 'file',
        version: 1,
        src: `${url}/content/files/plan.pdf`,
        fileName: 'plan.pdf',
        fileSize: 1234,
      },
      ...{ fileTitle: 'The plan', fileCaption: 'Of the pier' },
    },
  ],
  code: () => [
    {
      type: 'codeblock',
      version: 1,
      code: 'if (a < b && c) {\n\treturn "x"\n}',
      language: 'js',
      caption: 'How it <em>works</em>',
    },
  ],
  rule: () => [{ type: 'horizontalrule', version: 1 }],
  product: (url) => [
    {
      ...{ type: 'product', version: 1, productTitle: 'An oar', productDescription: '<p>Of <b>ash</b></p>' },
      ...{
        productImageSrc: `${url}/content/images/oar.png`,
        productImageWidth: 300,
        productImageHeight: 200,
      },
      ...{ productRatingEnabled: true, productStarRating: 4 },
      ...{ productButtonEnabled: true, productButton: 'Buy it', productUrl: 'https://shop.pier.example/oar' },
    },
  ],
  header: (url) => [
    {
      ...{
        type: 'header',
        version: 2,
        header: 'A great header',
        subheader: 'And below it',
        buttonEnabled: true,
      },
      ...{
        buttonUrl: 'https://elsewhere.example/h',
        buttonText: 'Go on',
        backgroundColor: '#000000',
        layout: 'full',
      },
      ...{ backgroundImageSrc: `${url}/content/images/back.png`, alignment: 'center', textColor: '#FFFFFF' },
    },
    {
      ...{
        type: 'header',
        version: 1,
        size: 'small',
        style: 'dark',
        header: 'An old header',
        subheader: 'From before',
      },
      ...{ buttonEnabled: false, buttonUrl: '', buttonText: '', backgroundImageSrc: '' },
    },
  ],
  signup: () => [
    {
      ...{
        type: 'signup',
        version: 1,
        header: 'Sign up here',
        subheader: 'It is free',
        disclaimer: 'No spam',
      },
      ...{
        buttonText: 'Subscribe now',
        backgroundColor: '#F0F0F0',
        labels: [],
        layout: 'wide',
        alignment: 'left',
      },
    },
  ],
  'call to action': (url) => [
    {
      ...{
        type: 'call-to-action',
        version: 1,
        layout: 'minimal',
        alignment: 'left',
        textValue: '<p>Do <b>act</b></p>',
      },
      ...{
        showButton: true,
        buttonText: 'Act now',
        buttonUrl: 'https://elsewhere.example/act',
        buttonColor: '#000000',
      },
      ...{ hasSponsorLabel: true, sponsorLabel: '<p>SPONSORED</p>', backgroundColor: 'grey' },
      ...{ imageUrl: `${url}/content/images/act.png`, imageWidth: 100, imageHeight: 80 },
    },
  ],
}

const bullets = { listType: 'bullet', start: 1, tag: 'ul' }
